import { useState } from 'preact/hooks'
import { Confirm } from '../forms/confirm.tsx'
import { TextField } from '../forms/field.tsx'
import { DialogForm } from '../forms/form.tsx'
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
  const call = useCall('name')
  return (
    <DialogForm
      title={title}
      call={call}
      action={action}
      disabled={name.trim() === ''}
      onSubmit={() => onSave(name.trim())}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onInput={setName} error={call.at('name')} autofocus />
    </DialogForm>
  )
}

type DeleteProps = { title: string; text: string; onConfirm: () => Promise<unknown>; onClose: () => void }

export const ConfirmDeletion = ({ text, ...rest }: DeleteProps) => (
  <Confirm action="Delete" {...rest}>
    <p>{text}</p>
  </Confirm>
)
