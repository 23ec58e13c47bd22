/// A place worth a visit.
struct Landmark: Identifiable, Equatable, Decodable, Sendable {
    let id: Int
    let name: String
    let place: String

    /// The landmarks the app comes with.
    static let all = [
        Landmark(id: 1001, name: "Mount Fuji", place: "Japan"),
        Landmark(id: 1002, name: "Victoria Falls", place: "Zambia and Zimbabwe"),
        Landmark(id: 1003, name: "Giant's Causeway", place: "Northern Ireland"),
        Landmark(id: 1004, name: "Grand Canyon", place: "Arizona"),
        Landmark(id: 1005, name: "Salar de Uyuni", place: "Bolivia"),
        Landmark(id: 1006, name: "Plitvice Lakes", place: "Croatia"),
        Landmark(id: 1007, name: "Uluru", place: "Australia"),
        Landmark(id: 1008, name: "Table Mountain", place: "South Africa"),
        Landmark(id: 1009, name: "Ha Long Bay", place: "Vietnam"),
        Landmark(id: 1010, name: "Dettifoss", place: "Iceland"),
        Landmark(id: 1011, name: "Torres del Paine", place: "Chile"),
        Landmark(id: 1012, name: "Geirangerfjord", place: "Norway"),
    ]
}
