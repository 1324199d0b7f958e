const paths = {
  hash: 'M9.500 3.500 8 20.500M16 3.500l-1.500 17M4 9h16.500M3.500 15H20',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  voice: 'M4 10v4h4l5 4V6l-5 4zM16.500 9a4.500 4.500 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11',
  goto: 'M4 12h12M11 7l5 5-5 5M20 5v14',
  split: 'M4 5h16v14H4zM12 5v14',
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
  more: 'M6.200 12a.700.700 0 1 1-1.400 0 .700.700 0 0 1 1.400 0ZM12.700 12a.700.700 0 1 1-1.400 0 .700.700 0 0 1 1.400 0ZM19.200 12a.700.700 0 1 1-1.400 0 .700.700 0 0 1 1.400 0Z',
  id: 'M4 5h16v14H4zM8 10v4M12 10v4h1.500a2 2 0 0 0 0-4z',
  flag: 'M5 21V4M5 5h13l-3 4 3 4H5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16.500 16.500 21 21',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500Z',
  newest: 'M12 5v14M6 13l6 6 6-6',
  outgoing: 'M12 19V5M6 11l6-6 6 6',
  chevron: 'M7 10l5 5 5-5',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9.500v.010',
  at: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM16 8v5a2.500 2.500 0 0 0 5 0v-1a9 9 0 1 0-3.500 7',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM19 12a7 7 0 0 0-.1-1.200l2-1.500-2-3.500-2.400 1a7 7 0 0 0-2-1.200L14 3h-4l-.400 2.600a7 7 0 0 0-2 1.200l-2.500-1-2 3.500 2 1.500a7 7 0 0 0 0 2.400l-2 1.500 2 3.500 2.500-1a7 7 0 0 0 2 1.200L10 21h4l.400-2.600a7 7 0 0 0 2-1.200l2.500 1 2-3.500-2-1.500q.100-.600.100-1.200Z',
  inspect: 'M4 5h16v14H4zM14 5v14M7 9h4M7 12h4M7 15h2',
  window: 'M4 5h16v14H4zM4 9h16',
  megaphone: 'M4 10v4h3l9 5V5l-9 5zM19.500 9.500a4 4 0 0 1 0 5',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  hangup: 'M4 15c0-2 3.500-4.500 8-4.500s8 2.500 8 4.500v2l-4.500-1v-2.500a12 12 0 0 0-7 0V16L4 17z',
  question:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .900-1 1.700M12 17v.010',
  pin: 'M9 4h6l-1 6 4 4H6l4-4zM12 14v7',
  down: 'M6 9.500l6 6 6-6',
  up: 'M6 14.500l6-6 6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  right: 'M9.500 6l6 6-6 6',
  webhook:
    'M10 14a4 4 0 0 0 6 .400l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-6-.400l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500',
  warning: 'M12 4 2.500 20h19zM12 10v5M12 17.500v.100',
  save: 'M9 3h6M10 3v6l-5.500 9.500A1.700 1.700 0 0 0 6 21h12a1.700 1.700 0 0 0 1.500-2.500L14 9V3M7.500 15h9',
  check: 'M5 12.500 10 17.500 19.500 7',
  pause: 'M8 5v14M16 5v14',
  play: 'M8 5l11 7-11 7z',
} as const
export type IconName = keyof typeof paths

type AnyChannel = { type: string; private: boolean; read_only: boolean }
/** The icon of a channel: private, voice, read-only or open to all. */
export function channelIcon(channel: AnyChannel): IconName {
  if (channel.private) return 'lock'
  if (channel.type === 'voice') return 'voice'
  return channel.read_only ? 'megaphone' : 'hash'
}

/** A decorative icon; the text beside it or the button's label carries the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
