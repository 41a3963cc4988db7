import Samples
import TestSupport
import Testing

@testable import ViewModels

@Suite("The catalogue")
struct CatalogueTests {
    @Test("counts the outputs through, view model after view model")
    func places() throws {
        let catalogue = Catalogue.samples
        #expect(catalogue.firstOutputs.first == 0)
        for (place, viewModel) in catalogue.viewModels.enumerated().dropLast() {
            let next = catalogue.firstOutputs[place] + viewModel.outputs.count
            #expect(catalogue.firstOutputs[place + 1] == next)
        }
        for (place, viewModel) in catalogue.viewModels.enumerated() {
            #expect(catalogue.place(of: viewModel.name.rawValue) == place)
        }
        #expect(catalogue.place(of: "Counter") == nil)
        #expect(catalogue.place(of: "") == nil)
    }

    @Test("every view model and member says what it is for")
    func summaries() {
        for viewModel in Catalogue.samples.viewModels {
            #expect(!viewModel.summary.isEmpty)
            #expect(viewModel.outputs.allSatisfy { !$0.summary.isEmpty })
            #expect(viewModel.actions.allSatisfy { !$0.summary.isEmpty })
            #expect(viewModel.facets.allSatisfy { !$0.summary.isEmpty })
        }
    }

    @Test("two view models of one name are a fault of the list, and its view models alone are none")
    func twins() {
        #expect(Catalogue.samples.fault == nil)
        let twins = Catalogue(Catalogue.samples.viewModels + Catalogue.samples.viewModels)
        #expect(twins.fault?.description == "counter: two view models of the list have this name; give one another")
    }

    private final class Unborn: ViewModel {
        struct Model: StoredModel {
            static let version = 0
            var count = 0
        }

        static let interface = Interface<Unborn>("unborn") { Output("count", \.count) }
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a model of a version below the first is a fault of its view model")
    func unborn() {
        let catalogue = Catalogue([.hosting(Unborn.init(model:))])
        #expect(catalogue.fault?.description == "unborn: its model has version 0: the first is 1")
    }

    private final class Seller<Which: Selling>: ViewModel {
        static var interface: Interface<Seller<Which>> {
            Interface(Which.name) {
                Output("count", \.count)
                Action("sell", Seller.sell)
                    .refusing(.custom(type: "sold-out", status: Which.status, title: "Sold out"), "All are.")
            }
        }
        func sell() {}
        var count: Int { model.count }
        let model: Stock
        init(model: Stock) { self.model = model }
    }

    @Test("nothing to serve is a fault, and so is one type of two view models' refusals with two statuses")
    func list() {
        #expect(Catalogue([]).fault?.description == "no view model is listed: there would be nothing to serve")
        let sellers = Catalogue([.hosting(Seller<Tea>.init(model:)), .hosting(Seller<Cake>.init(model:))])
        #expect(
            sellers.fault?.description
                == "cake: declares the refusal \"sold-out\" of sell with another status or title than tea; make it one kind"
        )
    }
}

private struct Stock: StoredModel { var count = 0 }

private protocol Selling: Sendable {
    static var name: String { get }
    static var status: Int { get }
}

private enum Tea: Selling { static let (name, status) = ("tea", 410) }

private enum Cake: Selling { static let (name, status) = ("cake", 409) }
