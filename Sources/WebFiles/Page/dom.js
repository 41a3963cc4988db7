// Makes an element with properties or attributes, and children. Strings become text nodes, never HTML.
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

// Shows content if its key differs from the previous one.
export const write = (element, key, ...content) => {
	if (element.writtenKey === key) return
	element.writtenKey = key
	element.replaceChildren(...(content.length ? content : [key]))
}
