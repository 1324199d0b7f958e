import { signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** The message of the list that contains the focus. */
export const activeMessage = signal<string | undefined>(undefined)

/** The id of the message around a control; undefined outside of the list, where every control is a tab stop. */
export const InMessage = createContext<string | undefined>(undefined)

/**
 * The `tabIndex` of a control in a message. The whole list is one tab stop: the arrow keys move between its messages, and Tab reaches
 * the controls of the message that has the focus.
 */
export function useTabStop(): 0 | -1 {
  const id = useContext(InMessage)
  return id === undefined || activeMessage.value === id ? 0 : -1
}
