package io.csi4j.core.spi;

/** Listens to nothing. */
enum NoListener implements EventListener {
    NONE
}
