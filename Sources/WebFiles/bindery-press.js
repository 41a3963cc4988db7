// What somebody does on a page that is made by attributes: which press says something, and which the same once more. See
// bindery-attributes.js.
import { own } from "./bindery-fields.js"
import { filledIn } from "./bindery-form.js"

const listeners = []
const hear = (type, body) => listeners.push([type, (event) => event.isTrusted && body(event)])
const heard = new WeakSet()
// What is pressed in a closed shadow root is hidden outside of it.
export const hearIn = (root) => {
	if (!(root instanceof Document || root instanceof ShadowRoot) || heard.has(root)) return
	heard.add(root)
	for (const [type, body] of listeners) root.addEventListener(type, body, true)
}

// Within which two presses may be one.
const isShort = (since) => performance.now() - since < 500

// When somebody last did something, and where; whether it is just now, and how often there was something.
let busy = {}
let isAtHand
let count = 0
for (const type of ["pointerdown", "keydown", "click", "input", "change"]) {
	hear(type, () => {
		if (!isAtHand) count++
		isAtHand = true
		setTimeout(() => (isAtHand = false))
	})
}
for (const type of ["pointerdown", "keydown"]) hear(type, ({ target }) => (busy = { at: performance.now(), target }))
export const isBusyElsewhere = (element, since) => busy.at > since && !own(element, "contains")(busy.target)

// Whether the Enter key is pressed, by which nothing is put in and no composition ends; and where it is held, until it puts something in.
let isEntered
let held
hear("keydown", (event) => {
	isEntered = event.key == "Enter" && !event.isComposing
	held = isEntered && event.repeat ? event.composedPath()[0] : undefined
})
// The page may send by it. Another key that is let go of meanwhile ends nothing.
hear("keyup", ({ key }) => key == "Enter" && setTimeout(() => (isEntered = held = undefined)))

// When somebody last typed something. With Enter that is a line of a text.
let typedAt
hear("input", (event) => {
	isEntered = held = undefined
	if (event instanceof InputEvent) typedAt = performance.now()
})

// What is pressed just now: a button, and, as it may be a double click, what would be sent of its form then, before the page's own
// script, which may fill in something by it; and whether another was there at the first click.
let pressed = {}
let first
const isButton = (one) => /^(submit|button|image)$/.test(own(one, "type"))
hear("click", (event) => {
	const path = event.composedPath()
	const button = path.find(isButton)
	const place = path.find((one) => isButton(one) || own(one, "dataset")?.action) ?? path[0]
	const isSecond = event.detail > 1
	// A key's click has no count.
	if (event.detail) held = undefined
	if (!isSecond) first = place
	const body = isSecond && button?.form && JSON.stringify(filledIn(button.form, button).body)
	pressed = { button, isSecond, isNew: place != first, body }
	setTimeout(() => (pressed = {}))
})

const isClicked = (submitter) => !!pressed.button && (submitter ?? pressed.button) == pressed.button

// Whether a form is sent by what somebody presses, and not by the page's script, as with each letter.
export const isByHand = (submitter) => isClicked(submitter) || !!isEntered

// What acted last by what somebody did, and when; and by which of all that somebody did each did.
let acted = {}
const counts = new WeakMap()
export const hasActed = (element) => {
	counts.set(element, count)
	if (isAtHand) acted = { element, at: performance.now() }
}

// The second click of a double click may fall on what the answer has put there: it is a stray one, but from one button to another,
// which may be drawn anew while somebody counts by it.
export const isStray = (element) => {
	const isForm = [element, acted.element].some((one) => one && own(one, "localName") == "form")
	return pressed.isSecond && pressed.isNew && isForm && acted.element != element && isShort(acted.at)
}

// Whether a form is sent by the Enter key that is held: by the browser, which presses its button, or by the page for a field of it. By any
// other button the page may count.
const isHeld = (form, submitter) => {
	if (!held || pressed.button) return held && pressed.button == submitter
	const isField = held.matches?.("input, select, textarea") || held.isContentEditable
	return isField && (held.form === form || own(form, "contains")(held))
}

// Whether a form is sent once more by the same press, or says the same at once, unless somebody has typed it anew, or done something
// else; `before` is what it last said, to which action, and when.
export const isOnceMore = (form, submitter, { body, path }, before) => {
	if (isHeld(form, submitter) || (isClicked(submitter) && isStray(form))) return true
	// Before the second click the first one's answer may have changed the form.
	const isSecond = isClicked(submitter) && pressed.body == body
	const isElsewhere = counts.get(acted.element) > counts.get(form)
	const isSame = before?.body == body && before?.path == path && !isElsewhere && !(typedAt > before?.at)
	return (isSame && !!held) || ((isSecond || isSame) && isShort(before?.at))
}

hearIn(document)
