import { useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { Confirm } from '../forms/confirm.tsx'
import { FormProblem, TextField } from '../forms/field.tsx'
import { useCall } from '../forms/problem.ts'

interface CategoryProps {
  title: string
  action: string
  name?: string
  onSave: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Dialog for the name of a category. */
export function CategoryDialog({ title, action, name: old = '', onSave, onClose }: CategoryProps) {
  const [name, setName] = useState(old)
  const { run, busy, at, general } = useCall('name')
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(() => onSave(name.trim())).then((done) => done && onClose())
        }}
      >
        <TextField label="Name" value={name} onInput={setName} error={at('name')} autofocus />
        <FormProblem text={general} />
        <div class="dialog-actions">
          <button type="button" class="button button-secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={busy || name.trim() === ''}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

type DeleteProps = { title: string; text: string; onConfirm: () => Promise<unknown>; onClose: () => void }

export const ConfirmDeletion = ({ text, ...rest }: DeleteProps) => (
  <Confirm action="Delete" {...rest}>
    <p>{text}</p>
  </Confirm>
)
