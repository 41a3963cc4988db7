// What somebody does on a page that is made by attributes: which press says something, and which the same once more. See
// bindery-attributes.js.
import { own } from "./bindery-fields.js"
import { filledIn } from "./bindery-form.js"

const hear = (type, body) => document.addEventListener(type, body, true)
// Within which two presses may be one.
const isShort = (since) => performance.now() - since < 500

// When somebody last did something, and where.
let busy = {}
for (const type of ["pointerdown", "keydown"]) {
	hear(type, ({ isTrusted, target }) => isTrusted && (busy = { at: performance.now(), target }))
}
export const isBusyElsewhere = (element, since) => busy.at > since && !own(element, "contains")(busy.target)

// Whether the Enter key is pressed, by which nothing is put in and no composition ends; and whether that submits anew by being held.
let isEntered
let isHeld
hear("keydown", (event) => {
	const { key, isComposing, repeat } = event
	isEntered = key == "Enter" && !isComposing
	isHeld = isEntered && repeat && event.composedPath()[0].matches?.("input, button:not([type=button])")
})
// The page may send by it. Another key that is let go of meanwhile ends nothing.
hear("keyup", ({ key }) => key == "Enter" && setTimeout(() => (isEntered = isHeld = false)))

// What is pressed just now: a button, and, as it may be a double click, what would be sent of its form then, before the page's own
// script, which may fill in something by it.
let pressed = {}
hear("click", (event) => {
	const button = event.isTrusted && event.composedPath().find((one) => /^(submit|button|image)$/.test(own(one, "type")))
	const isSecond = event.detail > 1
	// A key's click has no count.
	if (event.detail) isHeld = false
	pressed = { button, isSecond, body: isSecond && button?.form && JSON.stringify(filledIn(button.form, button).body) }
	setTimeout(() => (pressed = {}))
})

// When somebody last typed something. With Enter that is a line of a text.
let typedAt
hear("input", (event) => {
	if (!event.isTrusted) return
	isEntered = isHeld = false
	if (event instanceof InputEvent) typedAt = performance.now()
})

const isClicked = (submitter) => !!pressed.button && (submitter ?? pressed.button) == pressed.button

// Whether a form is sent by what somebody presses, and not by the page's script, as with each letter.
export const isByHand = (submitter) => isClicked(submitter) || !!isEntered

// What acted last by a press, and when.
let acted = {}
export const hasActed = (element) => (acted = { element, at: performance.now() })

// The second click of a double click may fall on what the answer has put there: it is a stray one, but from one button to another,
// which may be drawn anew while somebody counts by it.
export const isStray = (element) => {
	const isForm = [element, acted.element].some((one) => one && own(one, "localName") == "form")
	return pressed.isSecond && isForm && acted.element != element && isShort(acted.at)
}

// Whether a form is sent once more by the same press, or says the same at once, unless somebody has typed it anew, or pressed something
// else; `before` is what it last said, to which action, and when.
export const isOnceMore = (form, submitter, { body, path }, before) => {
	if (isHeld || (isClicked(submitter) && isStray(form))) return true
	// Before the second click the first one's answer may have changed the form.
	const isSecond = isClicked(submitter) && pressed.body == body
	const isElsewhere = acted.element != form && acted.at > before?.at
	const isSame = before?.body == body && before?.path == path && !isElsewhere && !(typedAt > before?.at)
	if ((isSecond || isSame) && isShort(before?.at)) return true
	if (isClicked(submitter)) hasActed(form)
	return false
}
