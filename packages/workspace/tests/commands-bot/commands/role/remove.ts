export const description = 'Takes all roles away'
export default () => 'gone'
