import { signal } from '@preact/signals'
import { PersonLeft } from '../state/api.ts'
import { Icon } from './icons.tsx'

type Tone = 'error' | 'note'
type Toast = { id: number; text: string; tone: Tone }
const toasts = signal<Toast[]>([])
const shownMs = 7_000

let toastId = 0
const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}

/** Shows a text in the corner for a few seconds. */
export function toast(text: string, tone: Tone = 'error'): void {
  const id = ++toastId
  toasts.value = [...toasts.value.filter((each) => each.text !== text), { id, text, tone }].slice(-3)
  setTimeout(() => dismiss(id), shownMs)
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

export function Toasts() {
  return (
    <div class="toasts" role="alert">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <span dir="auto">{text}</span>
          <button type="button" class="action" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}
