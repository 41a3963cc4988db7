import BinderyKit
import Foundation
import Samples
import Testing

final class Card {
    var text = ""
    private let bag = Bag()

    init(_ profile: any ProfileCardOutputs, _ center: NotificationCenter) {
        center.observe(profile.paramB, bindTo: self, \.text).disposed(by: bag)
    }
}

@Test("the book's card shows its parameter, and goes when its owner lets go")
func card() {
    let profile = ProfileViewModel()
    let center = NotificationCenter()
    weak var gone: Card?
    do {
        let card = Card(profile, center)
        profile.load(ProfileViewModel.Values(paramA: 1, paramB: "one"))
        #expect(card.text == "one")
        gone = card
    }
    #expect(gone == nil)
}
