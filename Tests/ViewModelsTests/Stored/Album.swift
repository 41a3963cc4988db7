import ViewModels

/// A view model whose model has a place of every kind in which something can be missing, or unknown.
final class Album: ViewModel {
    struct Model: StoredModel {
        var title = "untitled"
        var year = 1999
        var note: String?
        var cover = Cover(colour: "red", width: 3)
        var songs: [Song] = []
        var guests: [String: Guest] = ["the band": Guest(name: "everybody")]
        var label: Label?
        var mood = Mood.calm
        var plays: [Play] = []
    }

    /// A structure that is a member: its defaults are those that the model gives it.
    struct Cover: Codable, Sendable {
        var colour: String
        var width: Int
    }

    /// Each says its own beginning.
    struct Song: StoredValue, Equatable {
        var name = "song"
        var seconds = 60
    }
    struct Guest: StoredValue, Equatable {
        var name = "guest"
        var part = "voice"
    }
    struct Label: StoredValue, Equatable {
        var name = "none"
        var city = "Osaka"
    }

    /// Says none.
    struct Play: Codable, Equatable {
        var day: Int
        var times: Int
    }

    enum Mood: String, Codable { case calm, wild }

    static let interface = Interface<Album>("album") {
        Output("title", \.title)
        Action("rename", example: "new", Album.rename)
        Action("add-song", Album.addSong)
        Action("drop-label", Album.dropLabel)
        Action("put-label", Album.putLabel)
        Action("drop-guests", Album.dropGuests)
    }

    func rename(_ title: String) { model.title = title }
    func addSong() { model.songs.append(Song(name: "new", seconds: 1)) }
    func dropLabel() { model.label = nil }
    func putLabel() { model.label = Label() }
    func dropGuests() { model.guests = [:] }

    var title: String { model.title }
    private(set) var model: Model
    init(model: Model) { self.model = model }

    static let declaration = Declaration.hosting(Album.init(model:))
}
