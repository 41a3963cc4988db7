// Elements with their properties, attributes and children; texts are texts, whatever is in them.
export const make = (tag, properties = {}, ...children) => {
	const element = document.createElement(tag)
	for (const [name, value] of Object.entries(properties)) {
		if (name in element) element[name] = value
		else element.setAttribute(name, value)
	}
	element.append(...children)
	return element
}

export const find = (id) => document.getElementById(id)

// What is shown of any value: texts as they are, all else as JSON.
export const textOf = (value) => (typeof value == "string" ? value : value === undefined ? "" : JSON.stringify(value))

// Writes a text, and marks that it is another for a moment.
export const write = (element, text) => {
	if (element.textContent == text) return
	const isFirst = element.textContent == ""
	element.textContent = text
	if (isFirst) return
	element.classList.remove("changed")
	requestAnimationFrame(() => element.classList.add("changed"))
}
