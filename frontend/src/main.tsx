import '@cloudscape-design/global-styles/index.css';
import './application/console.css';
import { createRoot } from 'react-dom/client';
import { Application } from './application/application';
import { followColorMode } from './application/color-mode';
import { handOn } from './sign-in/journey';

const place = document.getElementById('console');
// The window of a second sign-in has nothing to show: it hands on what it came back with.
if (place !== null && !handOn()) {
  followColorMode();
  createRoot(place).render(<Application />);
}
