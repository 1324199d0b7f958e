import type { ComponentChildren } from 'preact'
import { Dialog } from '../dialog.tsx'
import { FormProblem } from './field.tsx'
import { useCall } from './problem.ts'

interface ConfirmProps {
  title: string
  /** What the button says: the act itself. */
  action: string
  danger?: boolean
  disabled?: boolean
  /** The fields whose errors the children show. */
  onConfirm: () => Promise<unknown>
  onClose: () => void
  children: ComponentChildren
}

/** Asks before something is done that cannot be undone; an error of the service stays in the dialog. */
export function Confirm({
  title,
  action,
  danger = true,
  disabled = false,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const { run, busy, general } = useCall()
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(onConfirm).then((done) => done && onClose())
        }}
      >
        {children}
        <FormProblem text={general} />
        <div class="dialog-actions">
          <button type="button" class="button button-secondary" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={danger ? 'button button-danger' : 'button button-primary'}
            disabled={busy || disabled}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
