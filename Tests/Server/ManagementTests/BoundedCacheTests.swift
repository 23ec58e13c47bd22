import Management
import Testing

struct BoundedCacheTests {
    @Test func keepsWhatWasReadAndForgetsWhatChanged() {
        let cache = BoundedCache<String, Int>(capacity: 100)
        cache.keep(1, "a", cache.ticket("a"))
        #expect(cache.value("a") == 1)
        cache.forget("a")
        #expect(cache.value("a") == nil)
    }

    @Test func doesNotKeepWhatWasReadBeforeAChange() {
        let cache = BoundedCache<String, Int>(capacity: 100)
        let ticket = cache.ticket("a")
        cache.forget("a")
        cache.keep(1, "a", ticket)
        #expect(cache.value("a") == nil)
    }

    @Test func staysWithinItsCapacity() {
        let cache = BoundedCache<Int, Int>(capacity: 64, stripes: 4)
        for key in 0..<10_000 { cache.keep(key, key, cache.ticket(key)) }
        #expect((0..<10_000).count { cache.value($0) != nil } <= 64)
    }

    @Test func keepsWhatIsAskedForWhileOthersComeAndGo() {
        let cache = BoundedCache<Int, Int>(capacity: 64, stripes: 1)
        cache.keep(-1, -1, cache.ticket(-1))
        for key in 0..<10_000 {
            cache.keep(key, key, cache.ticket(key))
            #expect(cache.value(-1) == -1)
        }
    }
}
