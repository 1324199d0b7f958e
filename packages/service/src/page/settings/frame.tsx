import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { closeScreen } from '../route.ts'

export interface Tab {
  id: string
  label: string
  /** Stands below the tab before it. */
  nested?: boolean
}
interface FrameProps {
  title: string
  subtitle?: string
  tabs: readonly Tab[]
  current: string
  onTab: (id: string) => void
  /** Stands below the tabs. */
  aside?: ComponentChildren
  children: ComponentChildren
}

/** A screen with its parts at the left and one of them at the right. */
export function Frame({ title, subtitle, tabs, current, onTab, aside, children }: FrameProps) {
  const main = useRef<HTMLElement>(null)
  // The keyboard goes on from the screen, not from the button in the chat that is gone.
  // Also where the button that had the focus went with what it opened.
  useEffect(() => {
    if (document.activeElement === document.body) main.current?.focus()
  })
  const nav = useRef<HTMLElement>(null)
  // On narrow screens the parts stand in a row that scrolls.
  useEffect(
    () => nav.current?.querySelector('.is-current')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
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

interface SectionProps {
  title: string
  description?: ComponentChildren
  /** Stands at the right of the title. */
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

/** A list in one box; says what to do first when it is empty. */
export function Rows({ empty, children }: { empty: ComponentChildren; children: ComponentChildren[] }) {
  if (children.length === 0) return <p class="rows-empty">{empty}</p>
  return <ul class="rows">{children}</ul>
}
