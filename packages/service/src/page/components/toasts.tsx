import { dismiss, toasts } from '../state/toasts.ts'
import { Icon } from './icons.tsx'

/** The toasts in the corner. */
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
