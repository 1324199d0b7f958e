import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { endSplit, type Half, type Moved, readSplit, splitAddress } from './split-screen.ts'

const halves: readonly Half[] = ['left', 'right']
const titles: Readonly<Record<Half, string>> = { left: 'First person', right: 'Second person' }
/** The people who are signed in in the halves. */
const names = signal<Partial<Record<Half, string>>>({})

/** Two people side by side: each half is the whole page with its own session, stream and address. */
export function Split() {
  useEffect(() => {
    document.title = 'Botwright chat: two people'
    const onMessage = ({ origin, data }: MessageEvent<Moved>) => {
      if (origin !== location.origin || data.kind !== 'moved') return
      const { half, address, name } = data
      names.value = { ...names.value, [half]: name }
      if (address === undefined) return
      history.replaceState(null, '', splitAddress({ ...readSplit(new URL(location.href)), [half]: address }))
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  // Those of the start: a half that moves must not load again.
  const [addresses] = useState(() => readSplit(new URL(location.href)))
  return (
    <div class="split">
      <header class="split-bar">
        <h1 class="visually-hidden">Split screen</h1>
        {halves.map((half) => (
          <p key={half} class="split-name" dir="auto">
            {names.value[half] ?? titles[half]}
          </p>
        ))}
        <button type="button" class="button button-secondary" onClick={endSplit}>
          End split screen
        </button>
      </header>
      <main class="split-halves">
        {halves.map((half) => (
          <iframe
            key={half}
            class="split-half"
            data-half={half}
            title={names.value[half] ?? titles[half]}
            src={addresses[half]}
          />
        ))}
      </main>
    </div>
  )
}
