import { useEffect } from 'preact/hooks'
import { loadOwnBots, ownBots } from '../state/own-bots.ts'
import { Icon } from '../components/icons.tsx'
import { memberName } from '../state/names.ts'
import { goTo, inspectorShown } from '../state/route.ts'
import { isOnline, person } from '../state/store.ts'
import { onStream } from '../stream/stream.ts'
import { showError } from '../state/toasts.ts'
import { Filters } from './filters.tsx'
import { Log } from './log.tsx'
import { Resizer } from './resizer.tsx'
import {
  addCall,
  addEvent,
  addOwnWork,
  clearEntries,
  inspectedBot,
  loadJournal,
  paused,
  setPaused,
  usage,
  waiting,
} from '../state/inspector.ts'
import { Usage } from './usage.tsx'

function Bar() {
  const bots = ownBots.value ?? []
  const count = waiting.value.length
  return (
    <header class="bar inspector-bar">
      <h2>Inspector</h2>
      {bots.length > 0 && (
        <span class="select select-small">
          <select
            class="input"
            aria-label="Bot"
            value={inspectedBot.value}
            onChange={(event) => (inspectedBot.value = event.currentTarget.value)}
          >
            {bots.map((bot) => (
              <option key={bot.id} value={bot.id} selected={bot.id === inspectedBot.value}>
                {memberName(bot)}
              </option>
            ))}
          </select>
          <Icon name="down" size={13} />
        </span>
      )}
      <span class="grow" />
      <button
        type="button"
        class="action"
        aria-label={paused.value ? 'Resume' : 'Pause'}
        title={paused.value ? `Resume (${count} waiting)` : 'Pause'}
        aria-pressed={paused.value}
        onClick={() => setPaused(!paused.value)}
      >
        <Icon name={paused.value ? 'play' : 'pause'} />
      </button>
      <button type="button" class="action" aria-label="Clear" title="Clear" onClick={clearEntries}>
        <Icon name="trash" />
      </button>
      <button
        type="button"
        class="action"
        aria-label="Close inspector"
        title="Close"
        onClick={() => (inspectorShown.value = false)}
      >
        <Icon name="close" />
      </button>
    </header>
  )
}

function NoBot() {
  return (
    <div class="inspector-empty">
      <h3>You have no bots here</h3>
      <p>
        Only the owner of a bot can inspect it. Create a bot on the Developer screen to see its events and calls here in
        real time.
      </p>
      <button type="button" class="button button-primary" onClick={() => goTo({ screen: 'developer' })}>
        Open Developer screen
      </button>
    </div>
  )
}

/** Panel beside the chat: the events and calls of one of the person's bots, with warnings about the real service. */
export function Inspector() {
  const self = person.value?.id
  useEffect(() => {
    void loadOwnBots().catch(showError)
  }, [self])
  useEffect(() => {
    const stops = [onStream('bot_event', addEvent), onStream('bot_call', addCall), onStream('bot_timeline', addOwnWork)]
    return () => stops.forEach((stop) => stop())
  }, [])
  const bots = ownBots.value
  useEffect(() => {
    if (bots && !bots.some((bot) => bot.id === inspectedBot.value)) inspectedBot.value = bots[0]?.id
  }, [bots])
  const botId = inspectedBot.value
  const online = isOnline.value
  useEffect(() => {
    // Reload after a lost connection.
    if (botId === undefined || !online) return
    clearEntries()
    usage.value = undefined
    void loadJournal(botId).catch(showError)
  }, [botId, online])
  return (
    <div class="inspector">
      <Resizer />
      <Bar />
      {bots?.length === 0 && <NoBot />}
      {botId !== undefined && bots?.some((bot) => bot.id === botId) && (
        <>
          <Usage />
          <Filters />
          <Log />
        </>
      )}
    </div>
  )
}
