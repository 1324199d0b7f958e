import type { ComponentChildren } from 'preact'
import { Dialog } from '../components/dialog.tsx'
import { FormProblem } from './field.tsx'
import { useCall } from './problem.ts'

interface ConfirmProps {
  title: string
  /** The label of the button, which names the action. */
  action: string
  danger?: boolean
  disabled?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
  children: ComponentChildren
}

/** Confirmation dialog; an error from the service is shown in it. */
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
