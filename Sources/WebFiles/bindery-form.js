// The fields of a page that is made by attributes: each shows the state until somebody fills it in, and what nobody has filled in is
// sent as the state says it. See bindery-attributes.js.

// A member of an element, also where a field of a form is called as it, and hides it.
export const own = (element, name) => {
	const member = Reflect.get(Object.getPrototypeOf(element), name, element)
	return typeof member == "function" ? member.bind(element) : member
}

export const text = (value) => (typeof value == "string" ? value : value == null ? "" : JSON.stringify(value))

const isChoice = ({ type }) => type == "radio" || type == "checkbox"

// The radios of a name are one field, and so are its boxes.
const fieldsOf = (field) => {
	const { type, name, form } = field
	if (!name || !isChoice(field)) return [field]
	const all = form ? own(form, "elements") : field.getRootNode().querySelectorAll("input")
	return [...all].filter((one) => one.type == type && one.name == name && one.form == form)
}

// What a body says for them; undefined is left out.
const read = (fields) => {
	const { type, value, checked, selectedOptions, valueAsNumber } = fields[0]
	const chosen = fields.filter((field) => field.checked && !field.matches(":disabled")).map((field) => field.value)
	if (type == "radio") return chosen[0]
	if (type == "checkbox") return fields.length > 1 ? chosen : checked
	if (selectedOptions) {
		const values = [...selectedOptions].filter((option) => !option.matches(":disabled")).map((option) => option.value)
		return type == "select-multiple" ? values : values[0]
	}
	return type != "number" && type != "range" ? value : value == "" ? undefined : valueAsNumber
}

const write = (fields, value) => {
	const isIn = (choice) => [value].flat().map(text).includes(choice.value)
	for (const field of fields) {
		if (isChoice(field)) field.checked = field.type == "checkbox" && fields.length == 1 ? value === true : isIn(field)
		else if (field.type == "select-multiple") for (const option of field.options) option.selected = isIn(option)
		else field.value = text(value)
	}
}

// Whether they can show a value: a range has an end, a select its options.
const shows = (fields, value) => {
	const { type, selectedOptions } = fields[0]
	if (isChoice(fields[0]) || type == "select-multiple") return text(value) == text(read(fields))
	return text(value) === (selectedOptions ? selectedOptions[0] : fields[0])?.value
}

const words = (fields) => JSON.stringify(read(fields)) ?? ""

// As they are in a page in which nobody has done anything.
const untouched = (fields) => {
	const copies = fields.map((field) => field.cloneNode(true))
	const form = document.createElement("form")
	form.append(...copies)
	own(form, "reset")()
	return words(copies)
}

// The browser puts back what it had shown before.
const isPutBack = () => /reload|back/.test(performance.getEntriesByType("navigation")[0]?.type)

// What a bound field shows, and whether that is the state or what somebody fills in.
export class Draft {
	static #all = new WeakMap()
	static of = (field) => Draft.#all.get(field)
	static bind = (field) => Draft.of(field) ?? new Draft(field)

	#fields
	#state
	#isFilledIn
	#shown

	constructor(field) {
		const fields = (this.#fields = fieldsOf(field))
		this.#isFilledIn = !isPutBack() && words(fields) != untouched(fields)
		const form = field.form && own(field.form, "matches")("[data-action]") && field.form
		for (const one of fields) {
			Draft.#all.set(one, this)
			one.addEventListener("input", () => (this.#isFilledIn = true))
			one.addEventListener("blur", ({ relatedTarget }) => {
				if (!fields.includes(relatedTarget)) form ? this.#show() : this.release()
			})
		}
		// It tells before the fields are as the page has them, and may be prevented; the page's own script may fill them in at once.
		const reset = () => words(fields) == untouched(fields) && this.release()
		if (form) own(form, "addEventListener")("reset", (event) => setTimeout(() => event.defaultPrevented || reset()))
		// Without its options a select cannot show what it should.
		if (field.options) new MutationObserver(() => this.#show()).observe(field, { childList: true, subtree: true })
	}

	// Also by the page's own script, which does not tell; in a select the browser chooses where nobody has.
	get isFilledIn() {
		const isChanged = this.#shown !== undefined && !this.#fields[0].options && words(this.#fields) !== this.#shown
		return this.#isFilledIn || isChanged
	}

	// What is sent where nobody has filled it in: also what the field cannot show.
	get value() {
		const isField = this.#state == null || shows(this.#fields, this.#state)
		return isField ? read(this.#fields) : this.#state
	}

	set state(value) {
		this.#state = value
		this.#show()
	}

	// Who is in a field is not disturbed.
	#show() {
		const isBusy = this.#shown !== undefined && !isChoice(this.#fields[0]) && this.#fields[0].matches(":focus")
		if (!this.isFilledIn && !isBusy) this.#write()
	}

	#write() {
		if (this.#state === undefined) return
		if (!shows(this.#fields, this.#state)) write(this.#fields, this.#state)
		this.#shown = words(this.#fields)
	}

	// From now on the state is shown again.
	release() {
		this.#isFilledIn = false
		this.#write()
	}
}

const isSent = (field, submitter) =>
	field.name && field.matches("input, select, textarea, button") && !field.matches(":disabled") &&
	(field == submitter || !field.matches("button, [type=submit], [type=button], [type=reset], [type=image]"))

// What a form says at this moment, whatever becomes of it until it is sent; and what to do once it was.
export const filledIn = (form, submitter) => {
	const members = new Map()
	const drafts = new Map()
	for (const field of own(form, "elements")) {
		const [fields, draft] = [fieldsOf(field), Draft.of(field)]
		const value = read(fields)
		if (draft) drafts.set(draft, [fields, words(fields)])
		if (isSent(field, submitter)) members.set(field.name, draft && !draft.isFilledIn ? () => draft.value : () => value)
	}
	return {
		get body() {
			return members.size ? Object.fromEntries([...members].map(([name, value]) => [name, value()])) : undefined
		},
		// What was filled in since stays.
		release: () => drafts.forEach(([fields, said], draft) => words(fields) === said && draft.release()),
	}
}
