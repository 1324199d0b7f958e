import { useEffect } from 'preact/hooks'
import { type Half, type Moved, readSplit, splitAddress } from './split-screen.ts'

const titles: Record<Half, string> = { left: 'First person', right: 'Second person' }

/** Two people side by side: each half is the whole page with its own session, stream and address. */
export function Split() {
  useEffect(() => {
    document.title = 'Botwright chat: two people'
    const onMessage = ({ origin, data }: MessageEvent<Moved>) => {
      if (origin !== location.origin || data.kind !== 'moved') return
      history.replaceState(null, '', splitAddress({ ...readSplit(new URL(location.href)), [data.half]: data.address }))
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  const addresses = readSplit(new URL(location.href))
  return (
    <div class="split">
      {(['left', 'right'] as const).map((half) => (
        <iframe key={half} class="split-half" data-half={half} title={titles[half]} src={addresses[half]} />
      ))}
    </div>
  )
}
