// A form's fields as they are: what they say, can show and are for.

// A member of an element. Of a form, `form.reset` is its field of that name, where it has one, and not the method.
export const own = (element, name) => {
	const member = Reflect.get(Object.getPrototypeOf(element), name, element)
	return typeof member == "function" ? member.bind(element) : member
}

export const text = (value) => (typeof value == "string" ? value : value == null ? "" : JSON.stringify(value))

// The member that a problem's pointer leads to, or into: in URI fragment form (RFC 6901, section 6).
export const memberOf = (pointer) => {
	const [, token] = pointer?.split("/") ?? []
	return token && decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")
}

// What the browser itself changes as the page changes its options or ends.
export const isPicked = (field) => field.matches("select, [type=range]")

export const isChoice = ({ type }) => type == "radio" || type == "checkbox"

// The radios of a name are one field, and so are its boxes.
export const fieldsOf = (field) => {
	const { type, name, form } = field
	if (!name || !isChoice(field)) return [field]
	const all = form ? own(form, "elements") : field.getRootNode().querySelectorAll("input")
	return [...all].filter((one) => one.type == type && one.name == name && one.form == form)
}

const isList = (boxes, state) => boxes.length > 1 || Array.isArray(state)

export const isEnabled = (one) => !one.matches(":disabled")

export const textsOf = (value) => [value].flat().map(text)

// What they say, for a state where they are bound; undefined where it is nothing.
export const read = (fields, state, isSaid = () => true) => {
	const { type, value, checked, selectedOptions, valueAsNumber } = fields[0]
	const values = (choices) => [...choices].filter(isSaid).map((choice) => choice.value)
	const chosen = values(fields.filter((field) => field.checked))
	if (type == "radio") return chosen[0]
	if (type == "checkbox") return isList(fields, state) ? chosen : checked
	if (selectedOptions) return type == "select-multiple" ? values(selectedOptions) : values(selectedOptions)[0]
	return type != "number" && type != "range" ? value : value == "" ? undefined : valueAsNumber
}

export const write = (fields, value) => {
	const texts = textsOf(value)
	const isIn = (choice) => texts.includes(choice.value)
	for (const field of fields) {
		if (isChoice(field)) field.checked = field.type == "radio" || isList(fields, value) ? isIn(field) : value === true
		else if (field.type == "select-multiple") for (const option of field.options) option.selected = isIn(option)
		else field.value = text(value)
	}
}

// Whether they can show a value: a range has an end, a select its options.
export const shows = (fields, value) => {
	const { type, selectedOptions } = fields[0]
	if (isChoice(fields[0]) || type == "select-multiple") return text(value) == text(read(fields, value))
	return text(value) === (selectedOptions ? selectedOptions[0] : fields[0])?.value
}

// A text that stands for a value of the state's kind, as a select's for a number, is that value.
export const like = (state, value) => {
	if (Array.isArray(state) && Array.isArray(value)) {
		return value.map((one) => state.find((its) => text(its) == one) ?? like(state[0], one))
	}
	if (state == null || typeof value != "string" || typeof state == "string") return value
	try {
		const parsed = JSON.parse(value)
		return typeof parsed == typeof state ? parsed : value
	} catch {
		return value
	}
}

// As a row is known by that is not there yet.
export const isNone = (value) => value == null || value === ""

export const words = (fields) => JSON.stringify(read(fields)) ?? ""

// What they would say after a change.
export const wordsAfter = (fields, change) => {
	const copies = fields.map((field) => field.cloneNode(true))
	const form = document.createElement("form")
	form.append(...copies)
	change(copies, form)
	return words(copies)
}

// As they are in a page in which nobody has done anything.
export const untouched = (fields) => wordsAfter(fields, (_, form) => own(form, "reset")())

// What nobody fills in says what the others are about: the row. But a choice may be made by its label, and what the state hides is
// one of the others.
export const isUnseen = (field) =>
	!isChoice(field) && field.matches("[hidden]:not([data-shown]), button, [type=hidden], [type=submit]")
