/** A program with a server and two nodes that moves a volume from one node to the other. */
@NullMarked
package io.csi4j.examples.agents;

import org.jspecify.annotations.NullMarked;
