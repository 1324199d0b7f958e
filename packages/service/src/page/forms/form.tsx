import type { ComponentChildren } from 'preact'
import { Dialog } from '../components/dialog.tsx'
import { FormProblem } from './field.tsx'
import type { Call } from './problem.ts'

interface FormProps {
  /** From `useCall`. The fields show its errors that name them, the form shows the others. */
  call: Call
  /** Runs as the call. */
  onSubmit: () => Promise<unknown>
  /** Whether the form cannot be submitted now. */
  disabled: boolean
  children: ComponentChildren
}

const submitting =
  ({ run }: Call, work: () => Promise<unknown>, then = () => {}) =>
  (event: Event): void => {
    event.preventDefault()
    void run(work).then((done) => done && then())
  }

interface CardFormProps extends FormProps {
  action?: string
  /** Without buttons, for people who may not change it. */
  readOnly?: boolean
  /** Shown on the left of the button that saves. */
  otherActions?: ComponentChildren
}

/** A form in a card: an editor of a screen. */
export function CardForm(props: CardFormProps) {
  const { call, onSubmit, disabled, action = 'Save', readOnly = false, otherActions, children } = props
  return (
    <form class="card" onSubmit={submitting(call, onSubmit)}>
      <div class="card-body">
        {children}
        <FormProblem text={call.general} />
      </div>
      {!readOnly && (
        <footer class="card-foot">
          {otherActions}
          <span class="grow" />
          <button type="submit" class="button button-primary" disabled={call.busy || disabled}>
            {action}
          </button>
        </footer>
      )}
    </form>
  )
}

interface DialogFormProps extends FormProps {
  title: string
  /** The label of the button, which names the action. */
  action: string
  danger?: boolean
  /** Also called after the call has succeeded. */
  onClose: () => void
}

/** A form in a dialog. Closes after the call; an error from the service is shown in it. */
export function DialogForm(props: DialogFormProps) {
  const { title, call, onSubmit, disabled, action, danger = false, onClose, children } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submitting(call, onSubmit, onClose)}>
        {children}
        <FormProblem text={call.general} />
        <div class="dialog-actions">
          <button type="button" class="button button-secondary" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={danger ? 'button button-danger' : 'button button-primary'}
            disabled={call.busy || disabled}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
