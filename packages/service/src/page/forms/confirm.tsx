import type { ComponentChildren } from 'preact'
import { DialogForm } from './form.tsx'
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
export const Confirm = ({ danger = true, disabled = false, onConfirm, ...rest }: ConfirmProps) => (
  <DialogForm call={useCall()} danger={danger} disabled={disabled} onSubmit={onConfirm} {...rest} />
)
