/** The text of a posted message: above the emoji with their roles, if it lists them. */
export const textOf = (message: { text: string; roles: Readonly<Record<string, string>>; list: boolean }): string =>
  [
    message.text,
    ...(message.list ? Object.entries(message.roles).map(([emoji, role]) => `${emoji} ${role}`) : []),
  ].join('\n')
