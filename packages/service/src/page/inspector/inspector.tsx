import { useEffect } from 'preact/hooks'
import { loadOwnBots, ownBots } from '../developer/own-bots.ts'
import { Icon } from '../icons.tsx'
import { memberName } from '../names.ts'
import { goTo, inspectorShown } from '../route.ts'
import { connection, person } from '../store.ts'
import { onStream } from '../stream.ts'
import { tell } from '../toasts.tsx'
import { Filters } from './filters.tsx'
import { Log } from './log.tsx'
import { Resizer } from './resizer.tsx'
import { botCalled, botGot, clearEntries, inspectedBot, loadJournal, paused, setPaused, waiting } from './store.ts'
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
        aria-label={paused.value ? 'Go on' : 'Pause'}
        title={paused.value ? `Go on (${count} waiting)` : 'Pause'}
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
        aria-label="Close the inspector"
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
      <h3>No bot here is yours</h3>
      <p>
        A bot is shown to its owner alone. Make one of your own on the Developer screen: its events and calls show up
        here as they happen.
      </p>
      <button type="button" class="button button-primary" onClick={() => goTo({ screen: 'developer' })}>
        Developer screen
      </button>
    </div>
  )
}

/** Beside the chat: what an own bot gets and does, and what would not go well on the real service. */
export function Inspector() {
  const self = person.value?.id
  useEffect(() => {
    void loadOwnBots().catch(tell)
  }, [self])
  useEffect(() => {
    const quiet = [onStream('bot_event', botGot), onStream('bot_call', botCalled)]
    return () => quiet.forEach((stop) => stop())
  }, [])
  const bots = ownBots.value
  useEffect(() => {
    if (bots && !bots.some((bot) => bot.id === inspectedBot.value)) inspectedBot.value = bots[0]?.id
  }, [bots])
  const botId = inspectedBot.value
  const isOnline = connection.value !== 'lost'
  useEffect(() => {
    // After a lost connection what happened meanwhile is read again.
    if (botId === undefined || !isOnline) return
    clearEntries()
    void loadJournal(botId).catch(tell)
  }, [botId, isOnline])
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
