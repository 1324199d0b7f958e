import { useEffect, useRef } from 'preact/hooks'
import { takeFocus } from '../components/focus.ts'
import { useScreenTitle } from '../components/screen-title.ts'
import { memberName } from '../state/names.ts'
import { closeScreen, goTo, type Missing as What, route } from '../state/route.ts'
import { channel, dm, overlay } from '../state/store.ts'

const texts: Readonly<Record<What | 'bot' | 'role', [title: string, reason: string]>> = {
  server: ['Server not found', 'It was deleted, or you are not a member of it.'],
  channel: ['Channel not found', 'It was deleted, or you cannot see it.'],
  conversation: ['Conversation not found', 'It was deleted, or you are not part of it.'],
  message: ['Message not found', 'It was deleted, or the link is incomplete.'],
  bot: ['Bot not found', 'It was deleted, or it belongs to someone else.'],
  role: ['Role not found', 'It was deleted.'],
  page: ['Page not found', 'The link is wrong, or you cannot see this page.'],
}

/** Reports that a URL names nothing that the person can see, and offers ways on. */
export function Missing({ what }: { what: What | 'bot' | 'role' }) {
  const [title, reason] = texts[what]
  const main = useRef<HTMLElement>(null)
  useEffect(() => takeFocus(main.current), [what])
  useScreenTitle('Not found')
  const where = channel.value ? `Open #${channel.value.name}` : dm.value && `Open ${memberName(dm.value.user)}`
  return (
    <main class="nowhere missing" ref={main} tabIndex={-1}>
      <span class="logo" aria-hidden="true" />
      <h1>{title}</h1>
      <p>{reason}</p>
      <div class="nowhere-actions">
        {what === 'bot' ? (
          <button type="button" class="button button-primary" onClick={() => goTo({ screen: 'developer' })}>
            Your bots
          </button>
        ) : (
          <button type="button" class="button button-primary" onClick={closeScreen}>
            {where ?? 'Open the chat'}
          </button>
        )}
        <button type="button" class="button button-secondary" onClick={() => (overlay.value = { kind: 'switcher' })}>
          Find a channel
        </button>
      </div>
    </main>
  )
}

/** The screen of a URL that names nothing. */
export function MissingScreen() {
  const here = route.value
  return here.screen === 'missing' ? <Missing what={here.what} /> : null
}
