/** The records of the volumes of a node, and the files that hold them. */
@NullMarked
package io.csi4j.node.internal.ledger;

import org.jspecify.annotations.NullMarked;
