// A form of a page that is made by attributes, as it is sent: what nobody has filled in as the state says it. See bindery-attributes.js.
import { Draft } from "./bindery-draft.js"
import { fieldsOf, isChoice, isEnabled, isNone, isUnseen, own, read, text, words } from "./bindery-fields.js"

const isTyped = (field) => !isChoice(field) && !field.matches("select") && !isUnseen(field)

const isSent = (field, submitter) =>
	field.name && field.matches("input:not([type=file]), select, textarea, button") && isEnabled(field) &&
	(field == submitter || !field.matches("button, [type=submit], [type=button], [type=reset], [type=image]"))

// What a form is about, as the number of a row, by what is in it that nobody fills in and that shows no state, whichever button is pressed.
export const aboutOf = (form) => {
	const unseen = [...own(form, "elements")].filter((field) => field.name && isUnseen(field) && !Draft.of(field))
	return JSON.stringify(unseen.map(({ name, value }) => [name, value]))
}

// What a form says at this moment, whatever becomes of it until it is sent; and what to do once it was.
export const filledIn = (form, submitter, isPressed) => {
	const members = new Map()
	const drafts = new Map()
	// Among its elements an image is not.
	for (const field of new Set([...own(form, "elements"), ...(submitter ? [submitter] : [])])) {
		const { name, type } = field
		const [fields, draft] = [fieldsOf(field), Draft.of(field)]
		draft?.settle()
		if (draft && fields.some(isEnabled)) drafts.set(draft, [fields, words(fields), { ...draft }])
		const others = members.get(name) ?? []
		if (!isSent(field, submitter) || (isChoice(field) && others.some((other) => other.type == type))) continue
		const value = draft ? draft.said() : read(fields, undefined, isEnabled)
		const isFilledIn = draft?.isFilledIn
		const filledAt = isFilledIn ? draft.filledAt : -1
		const isRow = isUnseen(field)
		const isBegun = isFilledIn && draft.isRowBegun
		// In a state; as it is by now where none is told.
		const sent = (state) => (draft ? Draft.of(fields[0]).sent(value, isFilledIn && !isBegun, state) : value)
		const was = draft?.state
		const state = isBegun ? (value ?? null) : was
		const isNew = draft && isNone(sent(state))
		members.set(name, [...others, { name, type, draft, filledAt, sent, state, was, isRow, isBegun, isOpened: isBegun, isNew, puts: draft?.puts }])
	}
	// Of several that are bound the one that was filled in last counts; others of one name and kind are a list.
	const valueOf = (all, sentOf) => {
		const isOfMany = all.length > 1 && all.every(({ draft, type }) => !draft && type == all[0].type)
		if (isOfMany) return all.map(sentOf)
		return sentOf(all.reduce((one, other) => (other.filledAt < one.filledAt ? one : other)))
	}
	const rows = [...members.values()].flat().filter(({ isRow }) => isRow)
	let isReset = false
	let isHeard = false
	let isEmptied = false
	const texts = [...own(form, "elements")].filter((field) => isSent(field, submitter) && isTyped(field) && field.value)
	return {
		about: aboutOf(form),
		// Whether the page has opened something else in the form since, or that was something else than what is shown.
		isOpened: (name) => isReset || rows.some((row) => row.name == name && row.isOpened),
		// Whether the page empties the form as it hears of it, for something else.
		get isEmptied() {
			return isEmptied
		},
		hearReset: () => {
			isReset = true
			isEmptied ||= !isHeard
		},
		hearEnd: () => {
			isEmptied ||= texts.some((field) => !field.value)
			isHeard = true
		},
		// It has made the row that it is about, if that was not there yet.
		hearDone: (viewModel, outputs) => {
			for (const row of rows.filter(({ isNew, state }) => isNew && isNone(state))) {
				const made = row.draft.stateBy(viewModel, outputs)
				// Another view model, or another view, may show the one that was shown before.
				if (text(made) != text(row.was)) row.state = made
			}
		},
		// The row that one is about which waited for this, if that was not there yet for either: the same.
		rowMade: ({ name, puts }) => {
			const isThat = (row) => row.isNew && row.name == name && row.puts == puts
			return isReset ? undefined : rows.find(isThat)?.state
		},
		waitFor: (earlier) => {
			for (const row of rows) {
				if (row.isNew) row.state = earlier.rowMade(row) ?? row.state
				row.saidBefore = earlier.said(row.name)
				row.isOpened ||= row.draft && earlier.isOpened(row.name)
			}
		},
		said: (name) => {
			const row = rows.find((row) => row.name == name)
			return isReset ? undefined : text(row?.sent(row.state))
		},
		// What is sent: about that row, and where nobody had filled it in the state; as it was then, where another row is there by now.
		get body() {
			// Not by what was sent before, as where a hidden list was emptied since.
			const hasChanged = ({ draft, was, saidBefore }) => ![text(was), saidBefore].includes(text(draft.state))
			const isOther = rows.some((row) => (row.isOpened ? hasChanged(row) : text(row.sent(row.state)) != text(row.sent())))
			const sentOf = ({ isRow, sent, state }) => sent(isRow || isOther ? state : undefined)
			return members.size ? Object.fromEntries([...members].map(([name, all]) => [name, valueOf(all, sentOf)])) : undefined
		},
		// Not where the page's script submits it, as with each letter.
		isPressed,
		hearSent: () => drafts.forEach((_, draft) => draft.hearSent()),
		// From when it is submitted until it is answered; its fields stand for it.
		hold: () => drafts.forEach((_, draft) => draft.hold(drafts)),
		letGo: (isDone) => drafts.forEach(([, said], draft) => draft.letGo(drafts, isDone ? said : undefined)),
		hearRefused: () => drafts.forEach((_, draft) => draft.hearRefused()),
		// What was filled in since stays. Who has not pressed anything may still be at it.
		release: (isLatest) => {
			for (const [draft, [fields, said, before]] of drafts) {
				draft.settle()
				const all = [...new Set([...fields, ...fields.flatMap(fieldsOf)])]
				// By the very change the page may have taken away the option, or the end, that was chosen.
				const isTakenAway = draft.changes != before.changes && draft.filledAt == before.filledAt && !draft.isPutIn
				// What was chosen anew, if the same, is sent once more, and stays until that was done.
				const isSaid = words(all) === said && draft.puts == before.puts && (isLatest || draft.filledAt == before.filledAt)
				if (isTakenAway || isSaid) for (const field of all) Draft.of(field)?.release(!isPressed)
			}
		},
	}
}
