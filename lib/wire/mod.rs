//! Wire: payloads of hosts to calls, decisions to answers.
