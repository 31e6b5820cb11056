package io.csi4j.core.spi;

/** A listener that ignores all events. */
enum NoListener implements EventListener {
    NONE
}
