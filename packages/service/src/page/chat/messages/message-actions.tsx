import type { Message } from '@botwright/protocol'
import { signal, useComputed, useSignalEffect } from '@preact/signals'
import { useState } from 'preact/hooks'
import { setPinned } from '../../state/actions.ts'
import { focusComposer } from '../composer/focus.ts'
import { Icon, type IconName } from '../../components/icons.tsx'
import { DeleteDialog, ReportDialog } from './message-dialogs.tsx'
import { messageCommand, wholeMenu } from './message-keys.ts'
import { toTyped } from '../../state/names.ts'
import { messageLink } from '../../navigation/navigation.ts'
import { Popover } from '../../components/popover.tsx'
import { ReactionPicker } from './reactions.tsx'
import { activeMessage } from '../../components/tab-stop.ts'
import { overlay, person, view } from '../../state/store.ts'
import { beginEdit, replyWith } from '../../state/drafts.ts'
import { copy } from '../../state/toasts.ts'

type ActionProps = { icon: IconName; label: string; onClick: () => void; expanded?: boolean; class?: string }
function Action({ icon, label, onClick, expanded, class: name = '' }: ActionProps) {
  return (
    <button
      type="button"
      class={`action ${name}`}
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      tabIndex={-1}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

/** The actions that this person may perform on a message. */
export function rightsOn(message: Message): { edit: boolean; pin: boolean; remove: boolean } {
  const own = message.author_id === person.value?.id
  const manages = message.server_id !== null && (view.value?.permissions.includes('manage_messages') ?? false)
  return { edit: own, pin: manages, remove: own || manages }
}

type MoreProps = {
  message: Message
  onClose: () => void
  open: (what: 'picker' | 'delete' | 'report') => void
  reply: () => void
  /** At the edge of the window, after a long press. */
  isSheet?: boolean
}
/** The menu of a message. It also has the actions of the toolbar, for windows without room for it. */
function More({ message, onClose, open, reply, isSheet = false }: MoreProps) {
  const may = rightsOn(message)
  const own = message.author_id === person.value?.id
  const items: [IconName, string, () => void][] = [
    ['smile', 'Add reaction', () => open('picker')],
    ['reply', 'Reply', reply],
  ]
  if (may.edit) items.push(['edit', 'Edit', () => beginEdit(message, toTyped(message.content))])
  if (message.content !== '') items.push(['copy', 'Copy text', () => void copy(toTyped(message.content), 'Text')])
  items.push(['external', 'Copy link', () => void copy(messageLink(message), 'Link')])
  items.push(['id', 'Copy message ID', () => void copy(message.id, 'Message ID')])
  if (may.pin) {
    const label = message.pinned ? 'Unpin' : 'Pin'
    items.push(['pin', label, () => void setPinned(message, !message.pinned)])
  }
  items.push(['save', 'Save as test from here', () => (overlay.value = { kind: 'save-test', from: message })])
  if (!own) items.push(['flag', 'Report', () => open('report')])
  if (may.remove) items.push(['trash', 'Delete', () => open('delete')])
  return (
    <Popover
      label={isSheet ? 'Actions' : 'More actions'}
      role="menu"
      class={isSheet ? 'menu sheet' : 'menu'}
      onClose={onClose}
    >
      {items.map(([icon, label, act]) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          class={label === 'Delete' ? 'menu-item is-danger' : 'menu-item'}
          onClick={() => {
            onClose()
            act()
          }}
        >
          <Icon name={icon} size={15} />
          {label}
        </button>
      ))}
    </Popover>
  )
}

type Opened = 'picker' | 'more' | typeof wholeMenu | 'delete' | 'report' | undefined

/** The message under the mouse. */
const pointed = signal<string | undefined>(undefined)

/** Follows the mouse over the list of messages. */
export function onLogPointer({ target, pointerType }: PointerEvent): void {
  if (pointerType !== 'touch') pointed.value = (target as Element).closest<HTMLElement>('.message')?.dataset.id
}

/**
 * The actions on a message: on hover and focus, after a long press, and by keyboard. Screen readers find the menu of every message. The
 * other actions are in the document only where they may be shown: they would be half of the elements of most messages.
 */
export function MessageActions({ message }: { message: Message }) {
  const [open, setOpen] = useState<Opened>()
  const isNear = useComputed(() => pointed.value === message.id || activeMessage.value === message.id).value
  const isWhole = isNear || open !== undefined
  const close = () => setOpen(undefined)
  const may = rightsOn(message)
  const reply = () => {
    replyWith(message)
    focusComposer()
  }
  useSignalEffect(() => {
    const wanted = messageCommand.value
    if (wanted?.id !== message.id) return
    messageCommand.value = undefined
    if (wanted.key === 'r') reply()
    if (wanted.key === 'e' && may.edit) beginEdit(message, toTyped(message.content))
    if (wanted.key === '+') setOpen('picker')
    if (wanted.key === 'p' && may.pin) void setPinned(message, !message.pinned)
    if (wanted.key === 'c' && message.content !== '') void copy(toTyped(message.content), 'Text')
    if (wanted.key === 'Delete' && may.remove) setOpen('delete')
    if (wanted.key === '.') setOpen('more')
    if (wanted.key === wholeMenu) setOpen(wholeMenu)
  })
  return (
    <div
      class={open === undefined ? 'actions' : 'actions is-open'}
      role="toolbar"
      aria-label="Message actions"
      data-message={message.id}
    >
      {isWhole && (
        <>
          <span class="anchor">
            <Action
              icon="smile"
              label="Add reaction"
              expanded={open === 'picker'}
              onClick={() => setOpen(open === 'picker' ? undefined : 'picker')}
            />
            {open === 'picker' && <ReactionPicker message={message} onClose={close} />}
          </span>
          <Action icon="reply" label="Reply" onClick={reply} />
          {may.edit && <Action icon="edit" label="Edit" onClick={() => beginEdit(message, toTyped(message.content))} />}
        </>
      )}
      <span class="anchor">
        <Action
          icon="more"
          label="More"
          class="is-more"
          expanded={open === 'more'}
          onClick={() => setOpen(open === 'more' ? undefined : 'more')}
        />
        {open === 'more' && <More message={message} onClose={close} open={setOpen} reply={reply} />}
        {open === wholeMenu && <More message={message} onClose={close} open={setOpen} reply={reply} isSheet />}
      </span>
      {open === 'delete' && <DeleteDialog message={message} onClose={close} />}
      {open === 'report' && <ReportDialog message={message} onClose={close} />}
    </div>
  )
}
