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

/** A part of the page in a file of its own, which is loaded when the part is first shown: the chat appears sooner without it. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (loaded) return
      load().then(
        (part) => {
          loaded = part
          setState('loaded')
        },
        () => {
          loaded = NotLoaded
          setState('failed')
        },
      )
    }, [])
    const Part = loaded
    return Part ? <Part {...props} /> : null
  }
}
