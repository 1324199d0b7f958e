import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { takeFocus } from '../components/focus.ts'
import { Icon } from '../components/icons.tsx'
import { useScreenTitle } from '../components/screen-title.ts'
import { closeScreen } from '../state/route.ts'

interface Tab {
  id: string
  label: string
  /** Indented below the previous tab. */
  nested?: boolean
}
interface FrameProps {
  title: string
  subtitle?: string
  tabs: readonly Tab[]
  current: string
  onTab: (id: string) => void
  /** Shown below the tabs. */
  aside?: ComponentChildren
  children: ComponentChildren
}

/** A screen with tabs on the left and the selected one on the right. */
export function Frame({ title, subtitle, tabs, current, onTab, aside, children }: FrameProps) {
  const main = useRef<HTMLElement>(null)
  const tab = tabs.length > 1 ? tabs.find(({ id }) => id === current) : undefined
  useScreenTitle(tab ? `${tab.label} · ${title}` : title)
  // Keep the keyboard focus on the screen when the focused button was removed, in the chat or on the screen itself.
  useEffect(() => {
    if (document.activeElement === document.body) takeFocus(main.current)
  })
  const nav = useRef<HTMLElement>(null)
  // On narrow screens the tabs are a scrolling row.
  useEffect(
    () => nav.current?.querySelector('.is-current')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [current],
  )
  return (
    <div class="frame">
      <nav class="frame-nav" ref={nav} aria-label={title}>
        <div class="frame-title">
          <h1>{title}</h1>
          {subtitle !== undefined && <p>{subtitle}</p>}
        </div>
        <ul class="frame-tabs">
          {tabs.map(({ id, label, nested }) => (
            <li key={id}>
              <button
                type="button"
                class={`frame-tab ${id === current ? 'is-current' : ''} ${nested ? 'is-nested' : ''}`}
                aria-current={id === current ? 'page' : undefined}
                onClick={() => onTab(id)}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
        {aside}
      </nav>
      <main class="frame-main" ref={main} tabIndex={-1}>
        <div class="frame-content">{children}</div>
      </main>
      <button type="button" class="frame-close" aria-label="Close" title="Close (Esc)" onClick={closeScreen}>
        <Icon name="close" size={18} />
      </button>
    </div>
  )
}

/** Leads from an editor back to its list. */
export const BackButton = ({ to, onClick }: { to: string; onClick: () => void }) => (
  <button type="button" class="link-button back" onClick={onClick}>
    ← {to}
  </button>
)

interface SectionProps {
  title: string
  description?: ComponentChildren
  /** Shown to the right of the title. */
  actions?: ComponentChildren
  children?: ComponentChildren
}

export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <section class="section" aria-label={title}>
      <header class="section-head">
        <div>
          <h2>{title}</h2>
          {description !== undefined && <p>{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  )
}

/** A list in a box; shows `empty` if there are no rows. */
export function Rows({ empty, children }: { empty: ComponentChildren; children: ComponentChildren[] }) {
  if (children.length === 0) return <p class="rows-empty">{empty}</p>
  return <ul class="rows">{children}</ul>
}
