/** A server and two nodes: a volume moves from one node to the other. */
@NullMarked
package io.csi4j.examples.agents;

import org.jspecify.annotations.NullMarked;
