# Draws iterations.csv and recall.csv of a run: gnuplot -e "folder='out'" plots.gnuplot
set datafile separator ','
set terminal pngcairo size 900,560 font 'sans,11' noenhanced
set key autotitle columnhead
set grid lw 0.5
set border 3
set tics nomirror


set output folder.'/objective.png'
set title 'Training: penalised and nested objective, and wrong bits, by iteration'
set xlabel 'iteration'
set ylabel 'objective a point (share of the variance not explained)'
set y2label 'constraint violation a point (bits of Z that differ from h(X))'
set ytics nomirror
set y2tics nomirror
set y2range [0:*]
set key top right
log_file = folder.'/iterations.csv'
plot log_file using 'iteration':(column('objective') / column('points')) with linespoints pt 7 ps 0.6 lw 2 lc rgb '#1f5fa8' title 'penalised objective E_Q', \
     log_file using 'iteration':(column('nested') / column('points')) with linespoints pt 5 ps 0.6 lw 2 lc rgb '#d95f02' title 'nested objective E_BA', \
     log_file using 'iteration':(column('violation') / column('points')) axes x1y2 with linespoints pt 9 ps 0.6 lw 2 lc rgb '#7a7a7a' title 'wrong bits (right axis)'

unset y2tics
unset y2label
set output folder.'/recall.png'
set title 'recall@R: queries whose nearest neighbour is among the first R by Hamming distance'
set xlabel 'R'
set ylabel 'recall'
set logscale x
set yrange [0:1]
set key bottom right
plot folder.'/recall.csv' using 'R':'learned' with linespoints pt 7 ps 0.6 lw 2 lc rgb '#1f5fa8' title 'learned codes', \
     folder.'/recall.csv' using 'R':'tpca' with linespoints pt 5 ps 0.6 lw 2 lc rgb '#d95f02' title 'tPCA codes'
