// What somebody does on a page that is made by attributes: which press says something of a form, and which the same once more. See
// bindery-attributes.js.
import { own } from "./bindery-fields.js"
import { aboutOf, filledIn } from "./bindery-form.js"

// What somebody does in this task: the event, and where; the button that is pressed, whether that is a second click or a held key, and
// whether another thing was there at the first; and what has acted by it. Whether a key is held. And how many tasks there were, and presses, and since when the last: a
// press is one with all that a held key repeats.
let press
let isHeld
let task = 0
let presses = 0
let startedAt
// As it was done, however late the page comes to it.
const now = () => press?.event.timeStamp ?? performance.now()
// Within which two presses may be one.
const isShort = (since) => now() - since < 500

// What each form was last sent with, and when.
const sent = new Map()
const saidBy = (form) => own(form, "dataset").action + JSON.stringify(filledIn(form).body)
// What the forms that were sent by now said before the page heard of the task; and those that the page changed by this press.
let said = new Map()
let changed = new Set()
const isChanged = (form) => changed.has(form) || said.get(form) != saidBy(form)

const noteChanges = () => {
	for (const form of press?.isLeaving ? [] : said.keys()) if (isChanged(form)) changed.add(form)
}
const finish = () => {
	noteChanges()
	acted = press?.acted ?? acted
	said = new Map()
	press = undefined
}
const begin = (event) => {
	finish()
	const isStart = /^(pointerdown|keydown)$/.test(event.type)
	if (isStart) changed = new Set()
	if (isStart && !event.repeat) {
		presses++
		startedAt = event.timeStamp
	}
	task++
	const begun = (press = { event })
	for (const [form, { at, by }] of sent) if (!isShort(at) && by != presses) sent.delete(form)
	// Of keys those that are held alone may say the same once more.
	const isLooked = event.repeat || isHeld || !/^(key|input|change)/.test(event.type)
	said = new Map(isLooked ? [...sent.keys()].map((form) => [form, saidBy(form)]) : [])
	setTimeout(() => press == begun && finish())
}

const listeners = []
const heard = new WeakSet()
// What is pressed in a closed shadow root is hidden outside of it.
export const hearIn = (root) => {
	if (!(root instanceof Document || root instanceof ShadowRoot) || heard.has(root)) return
	heard.add(root)
	for (const [type, body] of listeners) root.addEventListener(type, body, true)
}
const hear = (types, body) => {
	for (const type of types.split(" ")) listeners.push([type, (event) => event.isTrusted && body(event)])
}

// A key's click is of the same task, and has no count.
hear("pointerdown keydown pointerup keyup click", (event) => {
	if (press?.event != event && (event.type != "click" || event.detail)) begin(event)
})
hear("mousedown touchstart mouseup touchend keypress click input change", (event) => {
	if (!press) begin(event)
	press.path = event.composedPath()
})
hear("pointerdown keydown pointerup keyup", (event) => (press.path = event.composedPath()))

// What the page does as a field is left, as to spell a number, it does not by what is pressed instead.
hear("blur", () => {
	noteChanges()
	if (press) press.isLeaving = true
})

// Where another thing is pressed than at first, any form may be one that came there; and which row it is about, before the page hears of it.
let abouts = new Map()
const lookAtAll = (path) => {
	const roots = [document, ...path.filter((one) => one instanceof ShadowRoot)]
	const forms = roots.flatMap((root) => [...root.querySelectorAll("form[data-action]")])
	for (const form of forms) if (!said.has(form)) said.set(form, saidBy(form))
	abouts = new Map(forms.map((form) => [form, aboutOf(form)]))
}

// When somebody last did something, and where.
let busy = {}
hear("pointerdown", (event) => isShort(acted.at) && lookAtAll(event.composedPath()))
hear("pointerdown keydown", ({ target }) => (busy = { at: performance.now(), target }))
export const isBusyElsewhere = (element, since) => busy.at > since && !own(element, "contains")(busy.target)

// Whether the Enter key is pressed, by which nothing is put in and no composition ends; and where a press began.
let isEntered
let first
hear("keydown", (event) => {
	const { key, isComposing, repeat, target } = event
	isEntered = key == "Enter" && !isComposing
	isHeld = repeat
	if (!repeat) first = target
	press.isNew = isEntered && repeat && target != first
	if (press.isNew) lookAtAll(event.composedPath())
})
hear("keydown keypress", () => (press.isHeld = isHeld))
// The page may send by it. Another key that is let go of meanwhile ends nothing.
hear("keyup", ({ key }) => key == "Enter" && setTimeout(() => (isEntered = false)))

// In which task somebody last typed something. With Enter that is a line of a text.
let typedIn
hear("input", (event) => {
	isEntered = false
	if (event instanceof InputEvent) typedIn = task
})
hear("change", ({ target }) => {
	if (isBox(target)) typedIn = task
})

const isBox = ({ type }) => /^(checkbox|radio)$/.test(type)
const isButton = (one) => /^(submit|button|image)$/.test(own(one, "type"))
// What is pressed as a whole, whatever is drawn within.
const isPlace = (one) => isButton(one) || (one instanceof Element && own(one, "matches")("[data-action], a, label, summary, [role], [tabindex]"))
// Whether a click is where the one before was, as far as a finger or a mouse finds that again: half of what is pressed by one.
let clicked = {}
const isNear = (event) => {
	const { event: before } = clicked
	if (event != before) {
		const distance = Math.hypot(event.clientX - before?.clientX, event.clientY - before?.clientY)
		clicked = { event, isNear: distance < 24 }
	}
	return clicked.isNear
}

// The page hears nothing of a second click on what came there by the first: it might put something in that is sent later on.
const lose = (event) => {
	press.isLost = true
	event.preventDefault()
	event.stopImmediatePropagation()
}
hear("click", (event) => {
	const path = event.composedPath()
	const place = path.find(isPlace) ?? path[0]
	press.button = path.find(isButton)
	press.isClick = true
	// That of a label's field, as a key's, has no count.
	if (event.detail) {
		// Quick taps are counted on, wherever they fall. One that is held, by which the page may count, is none of a double click.
		const isThere = isNear(event) && event.detail > 1
		press.isSecond = isThere && event.timeStamp - startedAt < 250
		if (!isThere) first = place
		press.isNew = place != first
		if (press.isNew && press.isSecond) lookAtAll(path)
	}
	if (isOtherRow(press.button?.form)) return lose(event)
	const { form } = path[0]
	if (!isBox(path[0]) || !form || !own(form, "dataset").action) return
	// It is turned by now, by the browser, and would show what nobody is told.
	if (press.isNew) {
		said.set(form, saidBy(form))
		changed.delete(form)
	}
	if (isStray(form)) event.preventDefault()
})
// What a page does by a double click it is asked for.
hear("dblclick", (event) => {
	if (press?.isLost) lose(event)
	else if (press) press.isSecond = press.isNew = false
})

// Whether a form is sent by what somebody presses, and not by the page's script, as with each letter.
export const isByHand = (submitter) =>
	!!isEntered || (!!press?.button && (submitter ?? press.button) == press.button)

// What acted last as somebody pressed something.
let acted = {}
let isTelling
export const tell = (element, event) => {
	isTelling = true
	own(element, "dispatchEvent")(event)
	isTelling = false
}
export const hasActed = (element, body, about) => {
	const { action: path } = own(element, "dataset")
	const act = { element, body, about, path, at: now(), by: presses, task }
	if (own(element, "localName") == "form") sent.set(element, act)
	// Not what the page does by itself, as it is told of another's end, or along with what is pressed.
	if (!press || isTelling || press.acted?.isPressed) return
	act.isPressed = press.path.some((one) => one instanceof Element && [one, own(one, "form")].includes(element))
	const isBegun = !press.isClick && /^(pointer|mouse|touch|keyup)/.test(press.event.type)
	if (!act.isPressed && (press.acted || press.isOnceMore || isBegun)) return
	act.rows = rowsBeside(element)
	press.acted = act
}

// The rows that may come where one is.
const rowsBeside = (form) => {
	const all = [...own(form, "getRootNode")().querySelectorAll?.("form[data-action]") ?? []]
	const { action } = own(form, "dataset")
	return new Set(all.filter((one) => own(one, "dataset").action == action).map(aboutOf))
}
// Whether something acted just now, and nothing was typed since; whether that was another.
const isJustNow = () => isShort(acted.at) && !(typedIn > acted.task)
const isElsewhere = (element) => acted.element != element && isJustNow()
// Whether it was the same row, as which that is drawn anew; and whether one that had been beside.
const isSameRow = (element) =>
	own(element, "localName") == "form" && acted.path == own(element, "dataset").action &&
	acted.about == (abouts.get(element) ?? aboutOf(element))
const isDrawnAnew = (form) =>
	acted.about == aboutOf(form) && acted.path == own(form, "dataset").action && !own(acted.element, "isConnected")
const isOtherRow = (form) =>
	press.isNew && press.isSecond && abouts.has(form) && isElsewhere(form) && !isSameRow(form) &&
	acted.path == own(form, "dataset").action && acted.rows.has(abouts.get(form))

// Whether the page has put another row into the one form that it sends for all, as another button is pressed than at first.
const isNextRow = (element) =>
	acted.element == element && own(element, "localName") == "form" && acted.about != aboutOf(element) &&
	(press.isHeld || (press.isSecond && isJustNow()))

// The second click of a double click may fall on what the answer has put there, or Enter be held where the page has led to: it is a
// stray one, but from one button to another, or where the page changes the same row by it: both may be drawn anew while somebody counts.
export const isStray = (element) => {
	if (press?.isNew && isNextRow(element)) return true
	const isForm = [element, acted.element].some((one) => one && own(one, "localName") == "form")
	const isSecond = press?.isSecond && isElsewhere(element)
	const isRepeated = isSecond || (press?.isHeld && sent.get(element)?.by != presses)
	if (!press?.isNew || !isForm || !isRepeated) return false
	return !isSameRow(element) || !isChanged(element)
}

// Whether a form is sent once more by the second click of a double click or by a key that is held, by which the page has changed nothing
// in it, or says the same at once; unless somebody has typed it anew, or something else was done meanwhile.
export const isOnceMore = (form, body) => {
	if (isStray(form)) return true
	const before = sent.get(form) ?? (press && isDrawnAnew(form) ? acted : undefined)
	if (!before) return false
	const isSame = before.body == body && before.path == own(form, "dataset").action && isShort(before.at)
	const isAgain = press?.isHeld ? before.by == presses : press?.isSecond && isShort(before.at)
	const isByTurns = acted.task > before.task && acted.task < task
	const isOnce = !(typedIn > before.task) && !isByTurns && (isSame || (isAgain && !isChanged(form)))
	// Nor is what the page sends along with it something else that is done.
	if (press && isOnce) {
		press.isOnceMore = true
		if (!press.acted?.isPressed) press.acted = undefined
	}
	return isOnce
}

hearIn(document)
