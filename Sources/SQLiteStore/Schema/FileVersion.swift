/// What a file says of its schema, in one number: `PRAGMA user_version`, which is read from the file's header, before
/// SQLite has touched the file.
struct FileVersion: Equatable {
    /// The version of the schema.
    let schema: Int32
    /// The earliest version whose Bindery can use the file.
    let readableFrom: Int32

    /// Describes a file.
    init(schema: Int32, readableFrom: Int32) {
        self.schema = schema
        self.readableFrom = readableFrom
    }

    /// Takes the number apart: the schema's version in the lower half; in the upper one the earliest that can use the file,
    /// or 0 where that is the same.
    init(number: Int32) {
        schema = number & 0xFFFF
        readableFrom = number >> 16 == 0 ? schema : number >> 16
    }

    /// What the file says.
    var number: Int32 { readableFrom == schema ? schema : readableFrom << 16 | schema }

    /// Whether a Bindery of that version can use the file, once it has taken the steps that the file lacks.
    func isReadable(by version: Int32) -> Bool { readableFrom <= version }
}
