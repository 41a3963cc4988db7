import Testing
import ViewModels

@testable import BinderyKit

/// Protects the types of web clients.
@Suite("bindery client typescript")
struct TypeScriptTests {
    private struct Basket: ViewModel {
        struct Line: Codable, Sendable {
            var sku = ""
            var count: Int?
        }
        enum Colour: String, Codable, CaseIterable, Sendable { case red, green }

        var lines: [Line] = []
        var colour: Colour?
        var prices: [String: Double] = [:]

        static let interface = Interface<Basket>("my-basket", "A basket.") {
            Output("lines", \.lines, "What is in it.")
            Output("colour", \.colour)
            Output("price-list", \.prices)
            Action("put", "Puts a line in.", example: Line(sku: "a")) { $0.lines.append($1) }
            Action("clear") { $0.lines = [] }
        }
    }

    @Test("an output of a named entity is optional if some callers see a facet alone")
    func byFacet() throws {
        struct Desk: ViewModel {
            var takings = 0
            static let interface = Interface<Desk>("desk") {
                Output("takings", \.takings)
                Facet("board", showing: "takings")
            }
        }
        let catalogue = try Catalogue([.hosting(Desk.self, at: "desks", keys: .listed("main"))])
        #expect(TypeScriptClient(catalogue: catalogue, name: "shop").text.contains("readonly takings?: number"))
    }

    @Test("types the outputs and actions of each view model, and the session by their names")
    func text() throws {
        let text = TypeScriptClient(catalogue: try Catalogue([.hosting(Basket.self)]), name: "shop").text
        #expect(
            text.hasPrefix(
                """
                // The view models of shop, for /bindery.js.
                // Written by `shop client typescript`; do not edit it, write it again.

                /** The view models, by name; those of named entities by path. */
                export interface ViewModels {
                    /** A basket. */
                    "my-basket": ViewModel<MyBasketOutputs, MyBasketActions>
                }

                /** The outputs of my-basket. */
                export interface MyBasketOutputs {
                    /** What is in it. */
                    readonly lines: ({ sku: string; count?: number | null })[]
                    readonly colour: "red" | "green" | null
                    readonly "price-list": Record<string, number>
                }

                /** The actions of my-basket. */
                export interface MyBasketActions {
                    /** Puts a line in. */
                    put(input: { sku: string; count?: number | null }): Promise<MyBasketOutputs>
                    clear(): Promise<MyBasketOutputs>
                }

                """))
        #expect(text.contains("viewModel<Name extends keyof ViewModels>(name: Name): ViewModels[Name]"))
        #expect(!text.contains("[name: string]: any"))
    }

    @Test("types a named entity by its path")
    func entity() throws {
        let baskets = Declaration.hosting(Basket.self, at: "baskets", keys: .listed("main"))
        let text = TypeScriptClient(catalogue: try Catalogue([baskets]), name: "shop").text
        #expect(text.contains("[entity: `baskets/${string}`]: ViewModel<BasketsOutputs, BasketsActions>"))
        #expect(text.contains("export interface BasketsOutputs {"))
    }
}
