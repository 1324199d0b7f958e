import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Shown if the file of a part cannot be loaded, for example because the service was updated since the page was opened. */
const NotLoaded = () => (
  <div class="nowhere" role="alert">
    <h2>This part of the page could not be loaded</h2>
    <p>The service has stopped, or was updated since you opened the page.</p>
    <button type="button" class="button button-primary" onClick={() => location.reload()}>
      Reload the page
    </button>
  </div>
)

const parts: (() => Promise<void>)[] = []
const idleMs = 2_000

/** Loads all parts once the page has nothing else to do, so that they open at once. */
export function loadPartsWhenIdle(): () => void {
  const timer = setTimeout(() => {
    // A part that cannot be loaded now is requested again when it is shown.
    for (const load of parts) load().catch(() => {})
  }, idleMs)
  return () => clearTimeout(timer)
}

/** A part of the page in a file of its own, which is loaded after the chat is shown: the chat appears sooner without it. */
export function lazy<Props extends object>(request: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  const load = async (): Promise<void> => {
    loaded ??= await request()
  }
  parts.push(load)
  return function Lazy(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    // Also if it is loaded: that may have happened after the rendering.
    useEffect(() => {
      load().then(
        () => setState('loaded'),
        () => setState('failed'),
      )
    }, [])
    const Part = loaded
    return Part ? <Part {...props} /> : state === 'failed' ? <NotLoaded /> : null
  }
}
