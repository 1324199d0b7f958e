import { signal } from '@preact/signals'
import { focusComposer } from '../composer/focus.ts'

/** The key pressed on a message, for the actions of that message to handle. */
export const messageCommand = signal<{ id: string; key: string } | undefined>(undefined)
export const messageKeys: readonly (readonly [string, string])[] = [
  ['r', 'Reply'],
  ['e', 'Edit'],
  ['+', 'React'],
  ['p', 'Pin or unpin'],
  ['c', 'Copy text'],
  ['.', 'More actions'],
  ['Delete', 'Delete'],
]

/** Arrow keys move between messages, Esc returns to the input, the keys above act on the focused message. */
export function onLogKey(event: KeyboardEvent, focusEdge: (index: 0 | -1) => void): void {
  const log = event.currentTarget as HTMLElement
  const at = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || (at !== log && !at.matches('.message'))) return
  const all = [...log.querySelectorAll<HTMLElement>('.message')]
  const index = all.indexOf(at)
  const target = {
    ArrowUp: index < 0 ? all.at(-1) : all[index - 1],
    ArrowDown: all[index + 1],
  }[event.key]
  if (event.key === 'Home' || event.key === 'End') focusEdge(event.key === 'Home' ? 0 : -1)
  else if (target) {
    target.focus()
    target.scrollIntoView({ block: 'nearest' })
  } else if (event.key === 'Escape' || (event.key === 'ArrowDown' && index === all.length - 1)) focusComposer()
  else {
    const key = event.key === 'Backspace' ? 'Delete' : event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (at.dataset.id === undefined || !messageKeys.some(([each]) => each === key)) return
    messageCommand.value = { id: at.dataset.id, key }
  }
  event.preventDefault()
}

/** Moves the focus to the newest message. */
export function focusLastMessage(): void {
  const last = [...document.querySelectorAll<HTMLElement>('.log .message')].at(-1)
  last?.focus()
}

/** The command of a long press: all actions in one menu. */
export const wholeMenu = 'menu'
const PRESS_MS = 450
/** The click of a finger that leaves follows within this time. */
const CLICK_MS = 300
/** A finger that moves this far scrolls. */
const MOVE_PX = 10

/** Opens the actions of a message that a finger stays on. */
export function onLogPress(event: PointerEvent): void {
  const target = event.target as Element
  const message = target.closest<HTMLElement>('.message')
  const id = message?.dataset.id
  const isOwn = target.closest('input, textarea, dialog, .popover, .actions') !== null
  if (event.pointerType !== 'touch' || !event.isPrimary || id === undefined || isOwn) return
  // An ephemeral message has no actions, and one that is being edited does not show them.
  if (!message?.matches('.has-actions')) return
  const { clientX, clientY } = event
  let isOpen = false
  const timer = setTimeout(() => {
    isOpen = true
    messageCommand.value = { id, key: wholeMenu }
  }, PRESS_MS)
  const moved = (to: PointerEvent) => {
    if (Math.hypot(to.clientX - clientX, to.clientY - clientY) > MOVE_PX) clearTimeout(timer)
  }
  // The browser's own menu, of a link or a picture, must not open on top.
  const keepClosed = (menu: Event) => menu.preventDefault()
  const end = () => {
    clearTimeout(timer)
    removeEventListener('pointermove', moved)
    removeEventListener('contextmenu', keepClosed)
    for (const each of ends) removeEventListener(each, end)
    if (isOpen) ignoreNextClick()
  }
  addEventListener('pointermove', moved)
  addEventListener('contextmenu', keepClosed)
  for (const each of ends) addEventListener(each, end)
}
const ends = ['pointerup', 'pointercancel'] as const

/** When the finger leaves, the browser clicks what is under it: the menu that has just opened. */
function ignoreNextClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', ignore, { capture: true }), CLICK_MS)
}
