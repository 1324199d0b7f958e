const paths = {
  hash: 'M9.500 3.500 8 20.500M16 3.500l-1.500 17M4 9h16.500M3.500 15H20',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  voice: 'M4 10v4h4l5 4V6l-5 4zM16.500 9a4.500 4.500 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11',
  menu: 'M4 7h16M4 12h16M4 17h16',
  members:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14a6.500 6.500 0 0 1 3.500 6',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  reply: 'M9 6 4 11l5 5M4 11h9a7 7 0 0 1 7 7',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.500 14.500a4.500 4.500 0 0 0 7 0M9 9.500v.5M15 9.500v.5',
  send: 'M4 12 20 4l-5 16-3.500-6.500zM11.500 13.500 20 4',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  pin: 'M9 4h6l-1 6 4 4H6l4-4zM12 14v7',
  down: 'M6 9.500l6 6 6-6',
  up: 'M6 14.500l6-6 6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  right: 'M9.500 6l6 6-6 6',
  check: 'M5 12.500 10 17.500 19.500 7',
  pause: 'M8 5v14M16 5v14',
  play: 'M8 5l11 7-11 7z',
} as const
export type IconName = keyof typeof paths

/** One line drawing; the text beside it or the button's label says what it means. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
