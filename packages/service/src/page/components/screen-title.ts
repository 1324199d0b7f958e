import { useEffect } from 'preact/hooks'
import { screenTitle } from '../state/route.ts'

/** Names the window after a screen, as long as the screen is shown. */
export function useScreenTitle(title: string): void {
  useEffect(() => {
    screenTitle.value = title
    return () => {
      screenTitle.value = undefined
    }
  }, [title])
}
