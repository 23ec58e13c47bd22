import Foundation
import Testing

/// A13: how the C library keeps memory in the server, seen in a small program, as it holds for a whole process.
@Suite(.timeLimit(.minutes(10))) struct HeapTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/WipedMemory")

    /// Prints how many heaps busy threads fill, how many of eight buffers have mappings of their own, and how many KiB
    /// are resident before and after freed memory is returned.
    private static let program = """
        #define _GNU_SOURCE
        #include <malloc.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        #include "WipedMemory.h"

        enum { threads = 8, buffers = 8, blocks = 65536, size = 1000 };
        static pthread_barrier_t all;
        static char *held[blocks];

        static char *block(size_t bytes) {
            char *made = malloc(bytes);
            if (!made) exit(1);
            memset(made, 1, bytes);
            return made;
        }

        // Each holds something until all of them do.
        static void *work(void *nothing) {
            char *mine = block(size);
            pthread_barrier_wait(&all);
            free(mine);
            return nothing;
        }

        static long resident(void) {
            long pages = 0;
            FILE *file = fopen("/proc/self/statm", "r");
            if (!file || fscanf(file, "%*d %ld", &pages) != 1) exit(1);
            fclose(file);
            return pages * sysconf(_SC_PAGESIZE) / 1024;
        }

        int main(void) {
            prefer_little_memory();
            pthread_t workers[threads];
            pthread_barrier_init(&all, NULL, threads);
            for (int i = 0; i < threads; i++) {
                if (pthread_create(&workers[i], NULL, work, NULL)) exit(1);
            }
            for (int i = 0; i < threads; i++) pthread_join(workers[i], NULL);
            malloc_info(0, stdout);
            size_t before = mallinfo2().hblks;
            for (int i = 0; i < buffers; i++) held[i] = block(100 * 1024);
            printf("\\nmappings=%zu\\n", mallinfo2().hblks - before);
            for (int i = 0; i < buffers; i++) free(held[i]);
            for (int i = 0; i < blocks; i++) held[i] = block(size);
            // Some stay among the others, so that what is free is not at the end of the heap.
            for (int i = 0; i < blocks; i++) {
                if (i % 1024 != 1023) free(held[i]);
            }
            printf("freed=%ld\\n", resident());
            return_freed_memory();
            printf("returned=%ld\\n", resident());
            return 0;
        }
        """

    /// Else each busy thread keeps a heap of its own, buffers of connections stay among what lives longer, and what a
    /// busy hour needed is kept for good.
    @Test func threadsShareFewHeapsAndFreedMemoryGoesBack() async throws {
        try await ForeignProgram.inFolder { (folder) async throws in
            let source = folder.appending(path: "heap.c")
            try Data(Self.program.utf8).write(to: source)
            let include = Self.sources.appending(path: "include").path
            let built = try await ForeignProgram.run(
                "/usr/bin/env",
                [
                    "clang", "-pthread", "-I", include, "-o", folder.appending(path: "heap").path, source.path,
                    Self.sources.appending(path: "heap.c").path,
                ], in: folder)
            try #require(built.status == 0, "\(built.output)")
            let ran = try await ForeignProgram.run(folder.appending(path: "heap").path, [], in: folder)
            try #require(ran.status == 0, "\(ran.output)")
            let lines = ran.output.split(separator: "\n")
            func number(_ name: String) throws -> Int {
                let line = try #require(lines.first { $0.hasPrefix(name + "=") })
                return try #require(Int(line.dropFirst(name.count + 1)))
            }
            #expect(lines.count { $0.hasPrefix("<heap nr=") } <= 2)
            #expect(try number("mappings") > 4)
            let (freed, returned) = (try number("freed"), try number("returned"))
            #expect(returned < freed / 4, "\(freed) KiB, of which \(returned) stay")
        }
    }
}
