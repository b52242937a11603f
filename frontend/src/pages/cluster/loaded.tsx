export { Loaded } from '../../components/loaded';
