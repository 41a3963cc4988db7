import BinderyKit
import Foundation

func say(_ text: String) { FileHandle.standardError.write(Data("tickets: \(text)\n".utf8)) }
