import { signal } from '@preact/signals'
import { PersonLeft } from './api.ts'

type Tone = 'error' | 'note'
type Toast = { id: number; text: string; tone: Tone }
/** The texts that are shown now. */
export const toasts = signal<Toast[]>([])
const shownMs = 7_000

let toastId = 0
/** Removes a toast before its time. */
export const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}

/** Shows a text in the corner for a few seconds. */
export function toast(text: string, tone: Tone = 'error'): void {
  const id = ++toastId
  toasts.value = [...toasts.value.filter((each) => each.text !== text), { id, text, tone }].slice(-3)
  setTimeout(() => dismiss(id), shownMs)
}

/** Copies a text. Browsers may refuse, and have no clipboard on a page without TLS. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`, 'note')
  } catch {
    toast(`${what} could not be copied: the browser refuses`)
  }
}

/** Shows the text of an error, unless it is about a person who has left the window. */
export function showError(error: unknown): void {
  if (!(error instanceof PersonLeft)) toast(error instanceof Error ? error.message : String(error))
}

/** Runs a call and shows a toast if it fails. Returns whether it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    showError(error)
    return false
  }
}
