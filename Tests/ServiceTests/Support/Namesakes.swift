import ViewModels

/// View models whose outputs and bodies are of types that contain themselves, and have names near one another.
enum Namesakes {
    static let viewModels: [Declaration] = [
        .hosting(Grove<Node>.init(model:)), ofOneFile(), ofAnother(), .hosting(Grove<node>.init(model:)),
        .hosting(Grove<NodeBody>.init(model:)), .hosting(Grove<Größe>.init(model:)),
        .hosting(Grove<Grüße>.init(model:)),
        .hosting(Again.init(model:)),
    ]

    protocol Growing: StoredValue {
        init()
        static var viewModel: String { get }
    }

    struct Node: Growing {
        static let viewModel = "first"
        var children: [Node] = []
        var upper = 0
    }
    /// Has a type whose name is as that of a private one.
    private static func ofOneFile() -> Declaration {
        struct Node: Growing {
            static let viewModel = "second"
            var children: [Node] = []
            var here = 0
        }
        return .hosting(Grove<Node>.init(model:))
    }
    private static func ofAnother() -> Declaration {
        struct Node: Growing {
            static let viewModel = "third"
            var children: [Node] = []
            var there = 0
        }
        return .hosting(Grove<Node>.init(model:))
    }
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    struct node: Growing {
        static let viewModel = "fourth"
        var children: [node] = []
        var lower = 0
    }
    struct NodeBody: Growing {
        static let viewModel = "fifth"
        var children: [NodeBody] = []
        var bodily = 0
    }
    struct Größe: Growing {
        static let viewModel = "sixth"
        var children: [Größe] = []
        var size = 0
    }
    struct Grüße: Growing {
        static let viewModel = "seventh"
        var children: [Grüße] = []
        var greetings = 0
    }

    struct Model<Value: Growing>: StoredModel { var value = Value() }

    final class Grove<Value: Growing>: ViewModel {
        static var interface: Interface<Grove<Value>> {
            Interface(Value.viewModel) {
                Output("value", \.value)
                Action("plant", example: Value(), Grove.plant)
            }
        }

        func plant(_ value: Value) { model.value = value }
        var value: Value { model.value }
        private(set) var model: Model<Value>
        init(model: Model<Value>) { self.model = model }
    }

    /// Shows a type that another one shows too.
    final class Again: ViewModel {
        static let interface = Interface<Again>("again") { Output("node", \.node) }
        var node: Node { model.value }
        let model: Model<Node>
        init(model: Model<Node>) { self.model = model }
    }
}
