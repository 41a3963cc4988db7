import Testing

@testable import Service

@Suite("The template")
struct TemplateTests {
    @Test("places are filled, lists repeat their lines, and inner values go before outer ones")
    func filled() {
        let template = Template(
            """
            # A comment.
            title: <title>
            # each item
              - <name>: <title>
              # each part
                - <name>
              # end
            # end
            last: <unknown>
            """)
        let items: [Template.Values] = [
            ["name": .text("a"), "part": .list([["name": .text("x")], ["name": .text("y")]])],
            ["name": .text("b"), "title": .text("own"), "part": .list([])],
        ]
        #expect(
            template.filled(with: ["title": .text("all"), "item": .list(items)])
                == """
                title: all
                  - a: all
                    - x
                    - y
                  - b: own
                last: <unknown>

                """)
    }

    @Test("a value that looks like a place stays as it is")
    func once() {
        let values: Template.Values = ["a": .text("<b>"), "b": .text("secret")]
        #expect(Template("<a> <b>").filled(with: values) == "<b> secret\n")
    }

    @Test("a list without items, or without a value, leaves no line")
    func empty() {
        #expect(Template("# each a\nx\n# end\n# each b\nx\n# end\ny").filled(with: ["a": .list([])]) == "y\n")
    }

    @Test(
        "a text is quoted so that YAML 1.2 reads it as this text",
        arguments: [
            ("plain", #""plain""#), ("", #""""#), ("null", #""null""#), ("1.0", #""1.0""#),
            ("a: b # c", #""a: b # c""#),
            ("\"quoted\" \\ back", #""\"quoted\" \\ back""#), ("line\nbreak\ttab", #""line\nbreak\ttab""#),
            ("é 😀 日本", #""é 😀 日本""#), ("\u{7F}\u{90}\u{FEFF}\u{FFFE}", #""\u007f\u0090\ufeff\ufffe""#),
            ("\u{1}", #""\u0001""#), ("- *&!|>%@`", #""- *&!|>%@`""#),
        ])
    func quoted(text: String, yaml: String) { #expect(YAMLText.quoted(text) == yaml) }
}
