import { effect, signal } from '@preact/signals'

/** The color scheme of the page: the system's unless the person chose one. The choice is shared by all tabs of this browser. */
export type Theme = 'system' | 'light' | 'dark'
const key = 'botwright-theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']

const saved = localStorage.getItem(key) as Theme | null
export const theme = signal<Theme>(saved !== null && themes.includes(saved) ? saved : 'system')

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') {
    delete root.dataset.theme
    localStorage.removeItem(key)
  } else {
    root.dataset.theme = theme.value
    localStorage.setItem(key, theme.value)
  }
})

// Follow a choice made in another tab.
addEventListener('storage', (event) => {
  if (event.key === key) theme.value = (event.newValue as Theme | null) ?? 'system'
})

/** Whether the page is dark right now. */
export const isDark = (): boolean =>
  theme.value === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark'

/** Switches between light and dark; a choice equal to the system's scheme follows the system again. */
export function toggleTheme(): void {
  const wanted = isDark() ? 'light' : 'dark'
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  theme.value = wanted === system ? 'system' : wanted
}
