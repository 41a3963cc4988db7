extension String {
    /// Decodes UTF-8.
    package init(utf8 bytes: some Sequence<UInt8>) { self.init(decoding: Array(bytes), as: UTF8.self) }
}
