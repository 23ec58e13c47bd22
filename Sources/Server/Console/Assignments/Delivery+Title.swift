import AdminMessages

extension Delivery {
    /// In a table, and among others to choose from.
    var title: String { words.prefix(1).uppercased() + words.dropFirst() }
}
